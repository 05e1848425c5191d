export { endLoginAttempts } from "./queries.ts";
export {
  requestCode,
  resendCode,
  type CodeRequest,
  type Delivery,
  type TwoFactorDeps,
} from "./request-code.ts";
export { verifyCode } from "./verify-code.ts";
