import { randomUUID } from "node:crypto";
import { z } from "zod";
import { safeParseJson } from "#src/lib/parse-json.ts";
import type { HostingParts } from "../parts.ts";
import { type Answer, type Exchange, Refused, type WireCall } from "../wire.ts";
import { getApp } from "./apps.ts";

/** A source may have 500 MB compressed; https://devcenter.heroku.com/articles/limits. */
const MAX_SOURCE_BYTES = 1024 * 1024 * 1024;
const LIFETIME_SECONDS = 3_600;
const PURPOSE = { PUT: "heroku source put", GET: "heroku source get" } as const;

const Claims = z.looseObject({ source: z.string() });
const Uploaded = z.object({ blob: z.string(), size: z.number() });

/** An error of S3, where the addresses of sources lead. https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html */
function storageError(status: number, code: string, message: string): Refused {
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  return new Refused({ status, text, type: "application/xml" });
}

const MISMATCH = storageError(
  403,
  "SignatureDoesNotMatch",
  "The request signature we calculated does not match the signature you provided. Check your key and signing method.",
);

/** The address was signed for a request without these headers. */
function checkSignature({ request, url, at, parts, now }: Exchange, method: "PUT" | "GET"): void {
  const { headers } = request;
  if (headers.authorization !== undefined) {
    throw storageError(400, "InvalidArgument", "Only one auth mechanism allowed");
  }
  if (method === "PUT" && headers["content-type"] !== undefined) throw MISMATCH;
  const signature = url.searchParams.get("Signature") ?? "";
  const claims = parts.signer.read(PURPOSE[method], signature, Claims, now);
  if (claims?.source !== at("source")) throw MISMATCH;
}

/** What was uploaded at an address of the stand-in; undefined for another address, or where nothing was. */
export function uploadedSource(
  { store, signer }: Pick<HostingParts, "store" | "signer">,
  address: string,
  now: number,
): { blob: string; size: number } | undefined {
  const url = URL.parse(address);
  const signature = url?.searchParams.get("Signature") ?? "";
  const claims = signer.read(PURPOSE.GET, signature, Claims, now);
  if (!claims || url?.pathname !== `/heroku/_sources/${claims.source}`) return undefined;
  return safeParseJson(store.note("heroku source", claims.source) ?? "", Uploaded)?.value;
}

function create(exchange: Exchange): Answer {
  const { parts, now } = exchange;
  const id = randomUUID();
  const address = (method: "PUT" | "GET") => {
    const signature = parts.signer.sign(PURPOSE[method], { source: id }, LIFETIME_SECONDS, now);
    return `${parts.url()}/heroku/_sources/${id}?Signature=${signature}`;
  };
  return {
    status: 201,
    json: { source_blob: { get_url: address("GET"), put_url: address("PUT") } },
  };
}

export const herokuSources: readonly WireCall[] = [
  { method: "POST", path: "sources", run: create },
  {
    method: "POST",
    path: "apps/{app}/sources",
    run(exchange) {
      getApp(exchange);
      return create(exchange);
    },
  },
  {
    method: "PUT",
    path: "_sources/{source}",
    isOpen: true,
    async run(exchange) {
      const { parts, request, at } = exchange;
      checkSignature(exchange, "PUT");
      const length = request.headers["content-length"];
      if (length === undefined) {
        throw storageError(411, "MissingContentLength", "You must provide the Content-Length HTTP header.");
      }
      const { blob, size } = await parts.files.receive(request, MAX_SOURCE_BYTES);
      parts.store.setNote("heroku source", at("source"), { blob, size });
      return { status: 200, headers: { etag: `"${blob.slice(0, 32)}"` } };
    },
  },
  {
    method: "GET",
    path: "_sources/{source}",
    isOpen: true,
    run(exchange) {
      checkSignature(exchange, "GET");
      const note = exchange.parts.store.note("heroku source", exchange.at("source"));
      const uploaded = safeParseJson(note ?? "", Uploaded)?.value;
      if (!uploaded) throw storageError(404, "NoSuchKey", "The specified key does not exist.");
      return { status: 200, blob: uploaded.blob };
    },
  },
];
