"""The standing constraints of the user: whether views state them, and answers keep to them."""
