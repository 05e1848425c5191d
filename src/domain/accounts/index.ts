export { describeUser, requireAccount } from "./account.ts";
export { logIn } from "./log-in.ts";
export { register, type Registration } from "./register.ts";
export { updateAccount, type AccountChange } from "./update-account.ts";
