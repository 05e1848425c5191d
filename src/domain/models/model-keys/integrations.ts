/** Services to which people connect an account; they have no models. */
export const INTEGRATIONS = [
  {
    id: "google",
    name: "Google sign-in",
    description: "Sign in with a Google account",
    auth_type: "oauth",
    website: "https://accounts.google.com",
    requires_key: false,
    supports_oauth: true,
  },
  {
    id: "github",
    name: "GitHub",
    description: "Repositories",
    auth_type: "personal_access_token",
    website: "https://github.com/settings/tokens",
    requires_key: true,
    supports_oauth: true,
  },
] as const;
