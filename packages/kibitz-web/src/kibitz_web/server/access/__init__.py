"""Who may do what: principals, cookies, and the guards and limits in front of everything."""
