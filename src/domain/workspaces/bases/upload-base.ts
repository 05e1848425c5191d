import type { Caller } from "#src/domain/access/permissions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { checkedEntries } from "./check-entries.ts";
import type { Base } from "./queries.ts";
import { storeBase, type BaseInput } from "./store-base.ts";

/** Size of the uncompressed archive. */
export const MAX_UPLOAD_BYTES = 100 * 1024 * 1024;

/**
 * Creates a template from a tar archive that a person uploads. The archive is read and rewritten on the way, so that
 * the stored one is plain and has only harmless entries. Throws `invalid_input` for an unusable archive, `too_large`
 * above 100 MiB.
 */
export function uploadBase(
  deps: Parameters<typeof storeBase>[0],
  caller: Caller,
  input: BaseInput,
  archive: ReadableStream<Uint8Array>,
): Promise<Base> {
  return storeBase(deps, caller, input, checkedEntries(archive.pipeThrough(bounded(MAX_UPLOAD_BYTES))));
}

function bounded(limit: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > limit) throw new AppError("too_large", `The archive is larger than ${limit} bytes`);
      controller.enqueue(chunk);
    },
  });
}
