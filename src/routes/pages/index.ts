import type { Endpoint } from "#src/http/endpoint.ts";
import { home } from "./home.ts";
import { page } from "./page.ts";
import { script } from "./script.ts";
import { stylesheet } from "./stylesheet.ts";

/** Small pages for what mails, providers and the desktop app link to; they work by the API alone. */
export const pageEndpoints: readonly Endpoint[] = [
  home,
  page("/login", "login", "Page to sign in"),
  page("/register", "register", "Page to make an account"),
  page("/forgot-password", "forgot-password", "Page to ask for a link for a new password"),
  page("/reset-password", "reset-password", "Page to set a new password by a mailed link"),
  page("/verify-email", "verify-email", "Page to prove an address by a mailed link"),
  page("/invite/:token", "invite", "Page to accept an invitation to a team"),
  page("/oauth/callback", "oauth-callback", "Page that a sign-in through a provider ends at"),
  page("/desktop/pair", "desktop-pair", "Page to pair the desktop app"),
  page("/account/sessions", "sessions", "Page with one's sessions and paired desktop apps"),
  script,
  stylesheet,
];
