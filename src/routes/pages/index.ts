import type { Endpoint } from "#src/http/endpoint.ts";
import { home } from "./home.ts";
import { page } from "./page.ts";
import { script } from "./script.ts";
import { stylesheet } from "./stylesheet.ts";

/** Small pages to which mails, providers and the desktop app link. They use only the public API. */
export const pageEndpoints: readonly Endpoint[] = [
  home,
  page("/login", "login", "Get the sign-in page"),
  page("/register", "register", "Get the registration page"),
  page("/forgot-password", "forgot-password", "Get the forgotten-password page"),
  page("/reset-password", "reset-password", "Get the password reset page"),
  page("/verify-email", "verify-email", "Get the email verification page"),
  page("/invite/:token", "invite", "Get the invitation page"),
  page("/oauth/callback", "oauth-callback", "Get the provider sign-in result page"),
  page("/desktop/pair", "desktop-pair", "Get the desktop pairing page"),
  page("/pair", "pair", "Get the messaging account page"),
  page("/account/sessions", "sessions", "Get the account page"),
  page("/settings/team/billing", "billing", "Get the billing page, to which payers return"),
  page("/billing", "billing", "Get the billing page, to which people return from the portal"),
  page("/marketplace/success", "billing", "Get the billing page after a purchase"),
  page("/marketplace/agent/:slug", "marketplace-item", "Get the page of an agent of the marketplace"),
  page("/marketplace/base/:slug", "marketplace-item", "Get the page of a template of the marketplace"),
  script,
  stylesheet,
];
