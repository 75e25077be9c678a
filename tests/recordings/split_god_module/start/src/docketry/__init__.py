"""docketry prints the invoices of a hire yard."""

__version__ = "3.1.3"
