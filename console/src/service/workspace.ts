import { Workspace } from "@agent-workspace/client";
import { fetchSignedIn } from "./session.ts";

/** The service, as the person whose session the browser has. */
export const workspace = new Workspace({
  baseUrl: location.origin,
  cookies: true,
  fetch: fetchSignedIn,
});
