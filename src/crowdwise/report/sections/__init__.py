"""What a report says, one file for each section."""
