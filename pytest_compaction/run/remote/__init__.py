"""Cases that are measured in other processes or on other machines, through an executor."""
