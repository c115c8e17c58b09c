"""Methods that count or weigh votes."""
