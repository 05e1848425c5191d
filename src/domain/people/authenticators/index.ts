export { confirmAuthenticator, type AuthenticatorDeps } from "./confirm-authenticator.ts";
export { readAuthenticator } from "./read-authenticator.ts";
export {
  renewRecoveryCodes,
  requireCodeOfAuthenticator,
  turnOffAuthenticator,
} from "./change-authenticator.ts";
export { setUpAuthenticator } from "./set-up-authenticator.ts";
