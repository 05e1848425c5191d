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
