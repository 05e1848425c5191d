export { requestPasswordReset, requestVerification, type LinkDeps } from "./request-link.ts";
export { resetPassword } from "./reset-password.ts";
export { sendVerification, type VerificationDeps } from "./send-verification.ts";
export { verifyEmail } from "./verify-email.ts";
