"""Files that go out to people and come back from them."""
