"""What objectives are made of: the contract, and the forms that several of them share."""
