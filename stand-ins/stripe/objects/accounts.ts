import type Stripe from "stripe";
import { z } from "zod";
import { type Books, record, seconds } from "../books.ts";
import { ApiError, invalidRequest } from "../api-error.ts";
import type { Form } from "../form.ts";
import { bool, changedMetadata, metadata, readParameters, webAddress } from "../parameters.ts";
import { newId, type Onboarding } from "../store.ts";

const LINK_SECONDS = 300;

const CreateAccount = z.strictObject({
  type: z.enum(["express", "standard", "custom"]).default("standard"),
  country: z.string().length(2).default("US"),
  email: z.string().optional(),
  business_type: z.enum(["individual", "company", "non_profit", "government_entity"]).optional(),
  capabilities: z.strictObject({ transfers: z.strictObject({ requested: bool }).optional() }).optional(),
  metadata: metadata.optional(),
});

/** https://docs.stripe.com/api/accounts/create */
export function createAccount(books: Books, form: Form): Stripe.Account {
  const wish = readParameters(CreateAccount, form);
  const hasTransfers = wish.capabilities?.transfers?.requested === true;
  const account: Stripe.Account & { object: "account" } = {
    id: newId("acct_"),
    object: "account",
    business_profile: null,
    business_type: wish.business_type ?? null,
    capabilities: hasTransfers ? { transfers: "inactive" } : {},
    charges_enabled: false,
    country: wish.country.toUpperCase(),
    created: seconds(books),
    default_currency: "usd",
    details_submitted: false,
    email: wish.email ?? null,
    metadata: changedMetadata({}, wish.metadata),
    payouts_enabled: false,
    requirements: {
      alternatives: [],
      current_deadline: null,
      currently_due: ["external_account"],
      disabled_reason: "requirements.past_due",
      errors: [],
      eventually_due: ["external_account"],
      past_due: ["external_account"],
      pending_verification: [],
    },
    type: wish.type,
  };
  return record(books, account);
}

const CreateLink = z.strictObject({
  account: z.string(),
  refresh_url: webAddress,
  return_url: webAddress,
  type: z.enum(["account_onboarding", "account_update"]),
  collect: z.string().optional(),
});

/** https://docs.stripe.com/api/account_links/create: a link to the page on which the account's owner introduces themself. */
export function createAccountLink(books: Books, form: Form): Stripe.AccountLink {
  const wish = readParameters(CreateLink, form);
  const account = books.store.get("account", wish.account, "account");
  if (wish.type === "account_update" && account.type !== "custom") {
    throw invalidRequest("You cannot create `account_update` type Account Links for this account.");
  }
  const created = seconds(books);
  const visit = books.store.put<"onboarding">({
    id: newId("link_"),
    object: "onboarding",
    account: account.id,
    refresh_url: wish.refresh_url,
    return_url: wish.return_url,
    expires_at: created + LINK_SECONDS,
  });
  return {
    object: "account_link",
    created,
    expires_at: visit.expires_at,
    url: `${books.url()}/connect/${visit.id}`,
  };
}

/** Whether a link still leads to the page; Stripe sends others to the address for a new link. */
export function isValid(books: Books, { expires_at: expiresAt }: Onboarding): boolean {
  return seconds(books) < expiresAt;
}

/** The owner has introduced themself, or is refused: from now on the account may, or may not, receive transfers. */
export function onboardAccount(books: Books, accountId: string, isAccepted: boolean): Stripe.Account {
  const account = books.store.get("account", accountId);
  account.details_submitted = true;
  account.charges_enabled = isAccepted;
  account.payouts_enabled = isAccepted;
  account.capabilities = { ...account.capabilities, transfers: isAccepted ? "active" : "inactive" };
  const due = isAccepted ? [] : ["individual.verification.document"];
  account.requirements = {
    alternatives: [],
    current_deadline: null,
    currently_due: due,
    disabled_reason: isAccepted ? null : "requirements.past_due",
    errors: [],
    eventually_due: due,
    past_due: due,
    pending_verification: [],
  };
  return record(books, account, "account.updated");
}

/** Throws `ApiError` for an account that cannot receive transfers. */
export function checkReceives(account: Stripe.Account): void {
  if (account.capabilities?.transfers === "active") return;
  throw new ApiError(400, {
    type: "invalid_request_error",
    code: "insufficient_capabilities_for_transfer",
    message:
      "Your destination account needs to have at least one of the following capabilities enabled: transfers, crypto_transfers, legacy_payments",
  });
}
