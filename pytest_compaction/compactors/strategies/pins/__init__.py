"""``pins``: the user's constraints, extracted by rule and written into the view again."""
