import type { Endpoint } from "#src/http/endpoint.ts";
import { beginSignInWithPasskey } from "./begin.ts";
import { signIn } from "./sign-in.ts";

export const passkeySignInEndpoints: readonly Endpoint[] = [beginSignInWithPasskey, signIn];
