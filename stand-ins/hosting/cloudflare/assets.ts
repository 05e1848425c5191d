import { randomUUID } from "node:crypto";
import { z } from "zod";
import { parseJson } from "#src/lib/parse-json.ts";
import { bearer } from "../api.ts";
import { readForm, readJson } from "../bodies.ts";
import type { HostingParts } from "../parts.ts";
import type { DeployedFile } from "../records.ts";
import { tidyPath } from "../sources.ts";
import { InvalidBody } from "../invalid-body.ts";
import type { Exchange, WireCall } from "../wire.ts";
import { accountId, checkAccount } from "./account.ts";
import { refuse, success } from "./errors.ts";

/** https://developers.cloudflare.com/workers/platform/limits/#static-assets */
const MAX_ASSET_BYTES = 25 * 1024 * 1024;
/** Files in a request of the upload. The API's buckets are bounded by size as well. */
const BUCKET_FILES = 20;
/** Both tokens are good for an hour. */
const LIFETIME_SECONDS = 3_600;

const Manifest = z.record(
  z.string().regex(/^\//u, "must begin with /"),
  z.object({
    hash: z.string().regex(/^[0-9a-f]{32}$/u, "must be 32 hexadecimal digits"),
    size: z.int().min(0).max(MAX_ASSET_BYTES),
  }),
);
type Manifest = z.infer<typeof Manifest>;

/** What is kept about an upload session: whose it is, for which Worker, and its files. */
const Session = z.object({ account: z.string(), script: z.string(), manifest: Manifest });
type Session = z.infer<typeof Session>;

const Claims = z.looseObject({ session: z.string() });

function sessionOf(parts: HostingParts, id: string): Session | undefined {
  const note = parts.store.note("cloudflare session", id);
  return note === undefined ? undefined : parseJson(note, Session);
}

/** Hashes that the account has not uploaded. */
function missing({ store }: HostingParts, { account, manifest }: Session): string[] {
  const hashes = [...new Set(Object.values(manifest).map(({ hash }) => hash))];
  return hashes.filter((hash) => !store.upload("cloudflare", account, hash));
}

function completion({ parts, now }: Exchange, session: string): string {
  return parts.signer.sign("assets complete", { session }, LIFETIME_SECONDS, now);
}

/** The files of a completed session; `undefined` for a token that is forged, too old, or another Worker's. */
export function completedFiles(
  { parts, account, now }: Exchange,
  script: string,
  jwt: string,
): DeployedFile[] | undefined {
  const claims = parts.signer.read("assets complete", jwt, Claims, now);
  const session = claims && sessionOf(parts, claims.session);
  if (!session || session.account !== account || session.script !== script) return undefined;
  return Object.entries(session.manifest).flatMap(([path, { hash }]) => {
    const upload = parts.store.upload("cloudflare", account, hash);
    const tidied = tidyPath(path);
    return upload && tidied !== undefined ? [{ ...upload, path: tidied }] : [];
  });
}

async function begin(exchange: Exchange, script: string): Promise<ReturnType<typeof success>> {
  checkAccount(exchange);
  const { parts, account, now } = exchange;
  const { manifest } = await readJson(exchange, z.object({ manifest: Manifest }));
  const session: Session = { account, script, manifest };
  const id = randomUUID();
  parts.store.setNote("cloudflare session", id, session);
  const hashes = missing(parts, session);
  if (hashes.length === 0) return success({ jwt: completion(exchange, id), buckets: [] });
  const buckets = Array.from({ length: Math.ceil(hashes.length / BUCKET_FILES) }, (_, at) =>
    hashes.slice(at * BUCKET_FILES, (at + 1) * BUCKET_FILES),
  );
  return success({
    jwt: parts.signer.sign("assets upload", { session: id }, LIFETIME_SECONDS, now),
    buckets,
  });
}

/** Name and content of each part. A field without a file name is text, which the API takes as well. */
async function partsOf(
  exchange: Exchange,
): Promise<{ hash: string; bytes: Buffer; type: string | undefined }[]> {
  const form = await readForm(exchange);
  return Promise.all(
    [...form].map(async ([hash, value]) => {
      const text = typeof value === "string" ? value : await value.text();
      if (!/^[A-Za-z0-9+/\s]*={0,2}\s*$/u.test(text)) throw new InvalidBody(`The part ${hash} is not base64`);
      const type = typeof value === "string" ? "" : value.type;
      // `application/null` asks for no content type: packages/deploy-helpers/src/deploy/helpers/assets.ts.
      const isShown = type !== "" && type !== "application/null";
      return { hash, bytes: Buffer.from(text, "base64"), type: isShown ? type : undefined };
    }),
  );
}

export const cloudflareAssets: readonly WireCall[] = [
  {
    method: "POST",
    path: "accounts/{account}/workers/scripts/{script}/assets-upload-session",
    run: (exchange) => begin(exchange, exchange.at("script")),
  },
  {
    method: "POST",
    path: "accounts/{account}/workers/dispatch/namespaces/{namespace}/scripts/{script}/assets-upload-session",
    run: (exchange) => begin(exchange, `${exchange.at("namespace")}/${exchange.at("script")}`),
  },
  {
    method: "POST",
    path: "accounts/{account}/workers/assets/upload",
    // The token of the session stands where the account's does elsewhere.
    isOpen: true,
    async run(exchange) {
      const { parts, request, url, now, at } = exchange;
      const claims = parts.signer.read("assets upload", bearer(request) ?? "", Claims, now);
      const session = claims && sessionOf(parts, claims.session);
      if (!claims || !session) throw refuse(401, 10_000, "Authentication error");
      if (at("account") !== accountId(session.account)) throw refuse(403, 10_000, "Authentication error");
      if (url.searchParams.get("base64") !== "true") throw refuse(400, 10_026, "base64 must be true");
      const wanted = new Map(Object.values(session.manifest).map(({ hash, size }) => [hash, size]));
      const uploads = await partsOf(exchange);
      if (uploads.length === 0) throw refuse(400, 10_026, "There are no files in the form");
      for (const { hash, bytes } of uploads) {
        if (wanted.get(hash) !== bytes.byteLength) {
          throw refuse(400, 10_026, `The file ${hash} is not that of the manifest`);
        }
      }
      const keptUploads = uploads.map(({ hash, bytes, type }) => ({
        ...parts.files.keep(bytes),
        digest: hash,
        ...(type !== undefined && { type }),
      }));
      parts.store.transaction(() => {
        for (const upload of keptUploads) parts.store.addUpload("cloudflare", session.account, upload);
      });
      // Only the upload that completes the manifest is 201 with a token.
      if (missing(parts, session).length > 0) return success({}, 202);
      return success({ jwt: completion(exchange, claims.session) }, 201);
    },
  },
];
