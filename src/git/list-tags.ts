import * as git from "isomorphic-git";
import { timeLimit } from "#src/lib/time-limit.ts";
import { toAppError } from "./failure.ts";
import { remoteHttp } from "./remote-http.ts";
import { checkRemote } from "./remote-url.ts";
import type { GitTransport } from "./transport.ts";

const TAGS = "refs/tags/";
const TIMEOUT_MS = 10_000;

export interface RemoteTag {
  name: string;
  /** The commit that is tagged. */
  sha: string;
}

/**
 * The tags of a remote without a repository beside it, as a stranger sees them, highest version first. Failures are
 * `AppError`s.
 */
export async function listTags(transport: GitTransport, address: string): Promise<RemoteTag[]> {
  using limit = timeLimit(TIMEOUT_MS);
  const { signal } = limit;
  try {
    const remote = { ...checkRemote({ url: address }), authorization: undefined };
    const refs = await git.listServerRefs({
      http: remoteHttp(transport, remote, signal),
      url: remote.url,
      // An empty proxy is none.
      corsProxy: "",
      protocolVersion: 1,
      peelTags: true,
    });
    return refs
      .filter(({ ref }) => ref.startsWith(TAGS))
      .map(({ ref, oid, peeled }) => ({ name: ref.slice(TAGS.length), sha: peeled ?? oid }))
      .toSorted((one, other) => byVersion.compare(other.name, one.name));
  } catch (error) {
    throw toAppError(error, signal);
  }
}

/** `v1.10` is above `v1.9`. */
const byVersion = new Intl.Collator("en", { numeric: true });
