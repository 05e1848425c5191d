export { addPasskey, beginPasskey } from "./add-passkey.ts";
export { listPasskeys, removePasskey, renamePasskey } from "./change-passkey.ts";
export type { Passkey } from "./queries.ts";
export { beginPasskeySignIn, signInWithPasskey } from "./sign-in.ts";
