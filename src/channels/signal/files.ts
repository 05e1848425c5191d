import type { ChannelApi, MediaReference, OutgoingFile } from "../channel.ts";
import { callForFile } from "../platform-call.ts";
import { PlatformFailure } from "../platform-failure.ts";
import type { Bridge } from "./bridge.ts";

/** A file as the bridge reads it: it splits at semicolons, and stores the file under its name. */
export function dataUrl({
  filename,
  mimeType,
  bytes,
}: Pick<OutgoingFile, "filename" | "mimeType" | "bytes">): string {
  const type = /^[\w.+-]+\/[\w.+-]+/u.exec(mimeType)?.[0] ?? "application/octet-stream";
  const name = filename.replaceAll(/[;/\\\p{Cc}]/gu, "_").replace(/^\.+/u, "_");
  return `data:${type};filename=${name || "file"};base64,${Buffer.from(bytes).toString("base64")}`;
}

/** Fetches an attachment, and deletes it at the bridge, which would keep it for ever. */
export async function downloadFile(
  bridge: Bridge,
  { reference, mimeType }: MediaReference,
  maxBytes: number,
): ReturnType<NonNullable<ChannelApi["download"]>> {
  if (!/^\w[\w.=+-]*$/u.test(reference)) throw new PlatformFailure("refused", "Signal has no such file.");
  const path = `/v1/attachments/${encodeURIComponent(reference)}`;
  const call = bridge.describe(path, { method: "GET" });
  const answer = await callForFile(call, maxBytes);
  if (answer.status !== 200) throw bridge.failure(call, answer);
  try {
    await bridge.call({ method: "DELETE", path });
  } catch (error) {
    // The file is here; one that stays at the bridge does no harm.
    if (!(error instanceof PlatformFailure)) throw error;
  }
  const type = mimeType ?? answer.headers.get("content-type") ?? "";
  return { bytes: answer.bytes, mimeType: type.split(";", 1)[0]?.trim() || "application/octet-stream" };
}
