"""What negates, replaces, asks or supposes within a sentence, and how far it reaches."""
