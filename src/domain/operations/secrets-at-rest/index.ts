export { reencrypt, type Reencrypted } from "./reencrypt.ts";
