"""Several worker processes under one small parent, which knows neither the store nor the user's code."""
