import { z } from "zod";
import type { Api, Call } from "./api.ts";
import { HostingFailure } from "./failure.ts";
import type { ReleaseFile, ReleaseFiles, RequestBudget } from "./hosting.ts";

const FILES_AT_ONCE = 6;
/** Files are held whole while they are sent, and a Worker has 128 MiB of memory. */
const BYTES_AT_ONCE = 32 * 1024 * 1024;
/** Requests that are left for what follows the files. */
const RESERVE = 4;

/**
 * Sends one file for each digest, in their order and several at a time, until the budget is nearly used up. Returns how many
 * are sent. Throws a failure when those that were begun beside it have ended.
 */
export async function sendFiles(
  api: Api,
  digests: readonly string[],
  {
    files,
    budget,
    call,
  }: { files: ReleaseFiles | undefined; budget: RequestBudget; call: (file: ReleaseFile) => Call },
): Promise<number> {
  const byDigest = new Map(files?.list.map((file) => [file.digest, file]));
  const wanted = digests.map((digest) => {
    const file = byDigest.get(digest);
    if (file) return file;
    throw new HostingFailure("refused", "The provider asks for a file that the deployment does not have");
  });
  const send = async (file: ReleaseFile) => {
    const body = await files?.read(file);
    // Both providers answer with JSON; what does not has not come from them.
    if (body) await api.send(z.unknown(), { ...call(file), upload: { bytes: body.byteLength, body } });
  };
  let sent = 0;
  while (sent < wanted.length) {
    const batch = batchOf(wanted, sent, Math.min(FILES_AT_ONCE, budget.left - RESERVE));
    if (batch.length === 0) return sent;
    const outcomes = await Promise.allSettled(batch.map(send));
    for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
    sent += batch.length;
  }
  return sent;
}

function batchOf(files: readonly ReleaseFile[], from: number, most: number): ReleaseFile[] {
  const batch: ReleaseFile[] = [];
  let bytes = 0;
  for (const file of files.slice(from, from + Math.max(0, most))) {
    bytes += file.size;
    if (batch.length > 0 && bytes > BYTES_AT_ONCE) break;
    batch.push(file);
  }
  return batch;
}
