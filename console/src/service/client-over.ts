import { Workspace, type Fetch, type WorkspaceOptions } from "@agent-workspace/client";

/** The service at this page's address, with the browser's cookies, over a `fetch`. */
export const clientOver = (send: Fetch, options: Pick<WorkspaceOptions, "maxRetries"> = {}): Workspace =>
  new Workspace({ ...options, baseUrl: location.origin, cookies: true, fetch: send });
