export { beginOAuthLogin } from "./begin-login.ts";
export { finishOAuthLogin } from "./finish-login.ts";
