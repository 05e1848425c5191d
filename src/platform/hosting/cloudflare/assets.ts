import { contentTypeOf } from "#src/lib/content-types.ts";
import { z } from "zod";
import { toStream } from "#src/lib/to-stream.ts";
import type { Upload } from "../api.ts";
import { base64, base64Length } from "../digests.ts";
import { HostingFailure } from "../failure.ts";
import type { Release, ReleaseFile, ReleaseFiles, RequestBudget } from "../hosting.ts";
import { answerOf, type CloudflareApi } from "./answer.ts";
import { isSettings } from "./script-form.ts";

/** Stands for no content type. Source: cloudflare/workers-sdk, packages/deploy-helpers, assets.ts. */
const NO_TYPE = "application/null";

/** Requests after the last bucket: the script, its subdomain. */
const RESERVE = 3;

const Session = z.object({ jwt: z.string(), buckets: z.array(z.array(z.string())).nullish() });
const Sent = z.object({ jwt: z.string().nullish() }).nullish();

/**
 * Sends the files that Cloudflare does not have, a bucket at a time, and returns the token that puts them into a script. A new
 * session asks only for what is still missing, so the tokens, which are secret and short-lived, are not kept. Undefined when
 * the budget does not suffice.
 */
export async function sendAssets(
  { api, workers, scripts }: CloudflareApi,
  { site, files }: Release,
  budget: RequestBudget,
): Promise<string | undefined> {
  if (!files) throw new HostingFailure("refused", "Cloudflare is given files, and the deployment has none");
  const assets = files.list.filter((file) => !isSettings(file));
  const manifest = Object.fromEntries(
    // A path stands for the address that it has once encoded: an encoded path would be encoded twice.
    assets.map(({ path, size, digest }) => [`/${path}`, { hash: digest, size }]),
  );
  const { result: session } = await api.send(answerOf(Session), {
    method: "POST",
    path: `${scripts}/${encodeURIComponent(site.id)}/assets-upload-session`,
    json: { manifest },
    maxBytes: 4 * 1024 * 1024,
  });
  const buckets = session.buckets?.filter((bucket) => bucket.length > 0) ?? [];
  if (buckets.length === 0) return session.jwt;
  const byDigest = new Map(assets.map((file) => [file.digest, file]));
  for (const bucket of buckets) {
    if (budget.left < RESERVE) return undefined;
    const wanted = bucket.map((digest) => {
      const file = byDigest.get(digest);
      if (file) return file;
      throw new HostingFailure("refused", "Cloudflare asks for a file that the deployment does not have");
    });
    const { boundary, upload } = multipart(wanted, files);
    const { result } = await api.send(answerOf(Sent), {
      method: "POST",
      path: `${workers}/assets/upload`,
      query: { base64: "true" },
      // In place of the person's token.
      headers: {
        authorization: `Bearer ${session.jwt}`,
        "content-type": `multipart/form-data; boundary=${boundary}`,
      },
      upload,
    });
    // Only the answer to the last missing file has the token.
    if (result?.jwt) return result.jwt;
  }
  throw new HostingFailure("unavailable", "Cloudflare did not take all files: try again later");
}

/**
 * A bucket as a form (RFC 7578), one file in memory at a time: a bucket has up to 50 MiB, and base64 makes it larger. The
 * length is known beforehand.
 */
function multipart(
  bucket: readonly ReleaseFile[],
  files: ReleaseFiles,
): { boundary: string; upload: Upload } {
  const boundary = `workspace-${crypto.randomUUID()}`;
  const encoder = new TextEncoder();
  const head = ({ path, digest }: ReleaseFile) =>
    encoder.encode(
      `--${boundary}\r\ncontent-disposition: form-data; name="${digest}"; filename="${digest}"\r\n` +
        `content-type: ${contentTypeOf(path) ?? NO_TYPE}\r\n\r\n`,
    );
  const end = encoder.encode(`--${boundary}--\r\n`);
  const lineEnd = encoder.encode("\r\n");
  const bytes = bucket.reduce(
    (sum, file) => sum + head(file).byteLength + base64Length(file.size) + lineEnd.byteLength,
    end.byteLength,
  );
  async function* parts(): AsyncGenerator<Uint8Array, void, undefined> {
    for (const file of bucket) {
      yield head(file);
      yield base64(await files.read(file));
      yield lineEnd;
    }
    yield end;
  }
  return { boundary, upload: { bytes, body: toStream(parts()) } };
}
