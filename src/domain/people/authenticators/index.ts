export { confirmAuthenticator } from "./confirm-authenticator.ts";
export { readAuthenticator } from "./read-authenticator.ts";
export { renewRecoveryCodes, turnOffAuthenticator } from "./change-authenticator.ts";
export { setUpAuthenticator } from "./set-up-authenticator.ts";
