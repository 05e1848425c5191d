import type { Endpoint } from "#src/http/endpoint.ts";
import { consoleEndpoints } from "./console.ts";
import { guideEndpoints } from "./guide.ts";
import { home } from "./home.ts";
import { page } from "./page.ts";

/** Small pages to which mails, providers and the desktop app link. They use only the public API. */
export const pageEndpoints: readonly Endpoint[] = [
  home,
  page("getLoginPage", "/login", "login", "Get the sign-in page"),
  page("getRegisterPage", "/register", "register", "Get the registration page"),
  page("getForgotPasswordPage", "/forgot-password", "forgot-password", "Get the forgotten-password page"),
  page("getResetPasswordPage", "/reset-password", "reset-password", "Get the password reset page"),
  page("getVerifyEmailPage", "/verify-email", "verify-email", "Get the email verification page"),
  page("getInvitationPage", "/invite/:token", "invite", "Get the invitation page"),
  page("getProviderSignInPage", "/oauth/callback", "oauth-callback", "Get the provider sign-in result page"),
  page("getAuthorizePage", "/oauth/authorize", "authorize", "Get the authorization page"),
  page("getDesktopPairingPage", "/desktop/pair", "desktop-pair", "Get the desktop pairing page"),
  page("getDeviceSignInPage", "/device", "device", "Get the device sign-in page"),
  page("getMessagingAccountPage", "/pair", "pair", "Get the messaging account page"),
  page("getAccountPage", "/account/sessions", "sessions", "Get the account page"),
  page("getTeamBillingPage", "/settings/team/billing", "billing", "Get the page after a payment"),
  page("getBillingPage", "/billing", "billing", "Get the billing page"),
  page("getPurchasePage", "/marketplace/success", "billing", "Get the page after a purchase"),
  page(
    "getMarketplaceAgentPage",
    "/marketplace/agent/:slug",
    "marketplace-item",
    "Get a marketplace agent's page",
  ),
  page(
    "getMarketplaceTemplatePage",
    "/marketplace/base/:slug",
    "marketplace-item",
    "Get a marketplace template's page",
  ),
  ...consoleEndpoints,
  ...guideEndpoints,
];
