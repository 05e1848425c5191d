export { newAuthenticator, newRecoveryCodes, stepOfCode, useCodeOfAuthenticator } from "./authenticator.ts";
export { endLoginAttempts, hasAuthenticator } from "./queries.ts";
export {
  awaitCodeOfApp,
  requestCode,
  resendCode,
  type CodeRequest,
  type Delivery,
  type TwoFactorDeps,
} from "./request-code.ts";
export { verifyCode } from "./verify-code.ts";
