import { z } from "zod";
import type { ChannelApi, MediaReference, OutgoingFile } from "../channel.ts";
import { callForFile, fileTooLarge } from "../platform-call.ts";
import { PlatformFailure } from "../platform-failure.ts";
import type { Graph } from "./graph.ts";

const UPLOAD_TIMEOUT_MS = 60_000;
const MB = 1024 * 1024;

type Kind = "image" | "audio" | "video" | "document";

/** In MB; https://developers.facebook.com/docs/whatsapp/cloud-api/reference/media */
const LIMITS: Readonly<Record<Kind, number>> = { image: 5, audio: 16, video: 16, document: 100 };

const OFFICE = "application/vnd.openxmlformats-officedocument";
/** WhatsApp takes these types and no others. */
const KINDS: ReadonlyMap<string, Kind> = new Map([
  ...["image/jpeg", "image/png"].map((type) => [type, "image"] as const),
  ...["audio/aac", "audio/amr", "audio/mpeg", "audio/mp4", "audio/ogg", "audio/opus"].map(
    (type) => [type, "audio"] as const,
  ),
  ...["video/mp4", "video/3gpp"].map((type) => [type, "video"] as const),
  ...[
    "text/plain",
    "application/pdf",
    "application/msword",
    "application/vnd.ms-excel",
    "application/vnd.ms-powerpoint",
    `${OFFICE}.wordprocessingml.document`,
    `${OFFICE}.spreadsheetml.sheet`,
    `${OFFICE}.presentationml.presentation`,
  ].map((type) => [type, "document"] as const),
]);
/** Types of texts, which are sent as `text/plain`: the file's name tells the person what it is. */
const TEXT =
  /^(?:text\/|application\/(?:.*\+)?(?:json|xml|yaml|toml|javascript|typescript|sql)$|image\/svg\+xml$)/u;

const uploaded = z.looseObject({ id: z.string() });
const mediaFacts = z.looseObject({
  url: z.url({ protocol: /^https?$/u }),
  mime_type: z.string().optional(),
  file_size: z.coerce.number().optional(),
});

/** Uploads a file, and returns the part of a message that sends it. Throws `refused` for a file that WhatsApp does not take. */
export async function uploadFile(
  graph: Graph,
  phoneNumberId: string,
  { filename, mimeType, bytes }: Pick<OutgoingFile, "filename" | "mimeType" | "bytes">,
): Promise<Readonly<Record<string, unknown>>> {
  const given = mimeType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const type = !KINDS.has(given) && TEXT.test(given) ? "text/plain" : given;
  const kind = KINDS.get(type);
  if (kind === undefined) {
    throw new PlatformFailure("refused", `WhatsApp does not take files of the type ${given || "unknown"}.`);
  }
  if (bytes.byteLength === 0) throw new PlatformFailure("refused", "WhatsApp does not take empty files.");
  if (bytes.byteLength > LIMITS[kind] * MB) {
    throw new PlatformFailure("refused", `WhatsApp takes files of this type up to ${LIMITS[kind]} MB.`);
  }
  const body = new FormData();
  body.set("messaging_product", "whatsapp");
  body.set("type", type);
  body.set("file", new Blob([bytes], { type }), filename);
  const { id } = await graph.call(
    { method: "POST", path: `${phoneNumberId}/media`, body, timeoutMs: UPLOAD_TIMEOUT_MS },
    uploaded,
  );
  return { type: kind, [kind]: kind === "document" ? { id, filename } : { id } };
}

/** Fetches a file by its id. The token goes to WhatsApp's own hosts only, whatever the API says. */
export async function downloadFile(
  graph: Graph,
  { reference, mimeType }: MediaReference,
  maxBytes: number,
): ReturnType<NonNullable<ChannelApi["download"]>> {
  if (!/^[\w-]+$/u.test(reference)) throw new PlatformFailure("refused", "WhatsApp has no such file.");
  const facts = await graph.call({ method: "GET", path: reference }, mediaFacts);
  if ((facts.file_size ?? 0) > maxBytes) throw fileTooLarge(maxBytes);
  const url = new URL(facts.url);
  if (!graph.isOwn(url)) throw new PlatformFailure("refused", "WhatsApp named a foreign host for the file.");
  const call = graph.describe(url.href, { method: "GET" });
  const answer = await callForFile(call, maxBytes);
  if (answer.status !== 200) throw graph.failure(call, answer);
  const type = facts.mime_type ?? mimeType ?? answer.headers.get("content-type") ?? "";
  return { bytes: answer.bytes, mimeType: type.split(";", 1)[0]?.trim() || "application/octet-stream" };
}
