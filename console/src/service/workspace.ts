import { clientOver } from "./client-over.ts";
import { fetchSignedIn } from "./session.ts";

/** The service, as the person whose session the browser has. */
export const workspace = clientOver(fetchSignedIn);
