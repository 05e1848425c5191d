import { createHash, randomInt } from "node:crypto";
import type { Answer, MadeCall } from "../platform-server.ts";
import { badParameter, graphError } from "./errors.ts";

interface StoredMedia {
  mimeType: string;
  bytes: Buffer;
  filename: string;
  /** Address that the API returns instead of its own. */
  url: string | undefined;
}

const MB = 1024 * 1024;
/** Types that the API takes, and their largest size. */
const LIMITS: ReadonlyMap<string, number> = new Map([
  ...["image/jpeg", "image/png"].map((type) => [type, 5 * MB] as const),
  ...["audio/aac", "audio/mp4", "audio/mpeg", "audio/amr", "audio/ogg", "audio/opus"].map(
    (type) => [type, 16 * MB] as const,
  ),
  ...["video/mp4", "video/3gpp"].map((type) => [type, 16 * MB] as const),
  ...[
    "text/plain",
    "application/pdf",
    "application/msword",
    "application/vnd.ms-excel",
    "application/vnd.ms-powerpoint",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  ].map((type) => [type, 100 * MB] as const),
]);

/** Files of the API, in both directions. */
export class Media {
  readonly #stored = new Map<string, StoredMedia>();

  /** Stores what a person sent. */
  put(media: StoredMedia): string {
    const id = String(randomInt(1e14, 2 ** 47));
    this.#stored.set(id, media);
    return id;
  }

  get(id: string): StoredMedia | undefined {
    return this.#stored.get(id);
  }

  async upload({ headers, body }: MadeCall): Promise<Answer> {
    const type = headers["content-type"] ?? "";
    if (!type.startsWith("multipart/form-data")) return badParameter("A multipart form is wanted");
    const form = await new Response(Uint8Array.from(body), { headers: { "content-type": type } }).formData();
    if (form.get("messaging_product") !== "whatsapp") {
      return graphError(400, 100, "(#100) The parameter messaging_product is required.");
    }
    const file = form.get("file");
    if (!(file instanceof File)) return badParameter("(#100) The parameter file is required.");
    const limit = LIMITS.get(file.type);
    if (limit === undefined) {
      const known = [...LIMITS.keys()].join(", ");
      const sentence = `(#100) Param file must be a file with one of the following types: ${known}. Received file of type '${file.type}'.`;
      return graphError(400, 100, sentence);
    }
    if (file.size > limit) return badParameter("The file is too large for its type");
    const bytes = Buffer.from(await file.arrayBuffer());
    const id = this.put({ mimeType: file.type, bytes, filename: file.name, url: undefined });
    return { json: { id } };
  }

  /** Where a file is fetched, for five minutes. */
  describe(id: string, origin: string): Answer | undefined {
    const found = this.#stored.get(id);
    if (found === undefined) return undefined;
    return {
      json: {
        messaging_product: "whatsapp",
        url: found.url ?? `${origin}/whatsapp_business/attachments/?mid=${id}&ext=1770000000&hash=ATt`,
        mime_type: found.mimeType,
        sha256: createHash("sha256").update(found.bytes).digest("hex"),
        file_size: String(found.bytes.length),
        id,
      },
    };
  }

  download({ query }: MadeCall): Answer {
    const found = this.#stored.get(query.get("mid") ?? "");
    if (found === undefined) return { status: 404, text: "URL signature expired" };
    return { headers: { "content-type": found.mimeType }, bytes: found.bytes };
  }
}
