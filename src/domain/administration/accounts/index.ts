export { adjustCredits } from "./adjust-credits.ts";
export { changeAccount, type AdministeredChange } from "./change-account.ts";
export { deleteAccount } from "./delete-account.ts";
export { findAccount } from "./find-account.ts";
export { listAccounts } from "./list-accounts.ts";
export { listActions } from "./list-actions.ts";
export { turnOffAuthenticatorOf } from "./turn-off-authenticator.ts";
