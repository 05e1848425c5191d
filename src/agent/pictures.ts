import { sha256Bytes } from "#src/lib/hash.ts";
import { supportsVision } from "#src/models/model-facts.ts";
import { IMAGE_BASE64_CHARS, ModelError, type ImagePart, type UserContent } from "#src/models/model.ts";
import type { ProjectFiles } from "#src/platform/runtime/project-files.ts";
import type { PastTurn } from "./kept-parts.ts";
import { ShownPicture } from "./tools/view-image.ts";

/**
 * The pictures that calls of a task have shown. Turns are stored without them: they are read again from the project's
 * files, and a picture whose file has changed or is gone is no longer shown.
 */
export class Pictures {
  readonly #files: Pick<ProjectFiles, "readFile">;
  readonly #read = new Map<string, string | undefined>();

  constructor(files: Pick<ProjectFiles, "readFile">) {
    this.#files = files;
  }

  /**
   * Returns turns with their pictures: as many of the newest as a request may hold (20,000,000 characters of base64),
   * and none for a model that cannot see.
   */
  async beside(pastTurns: readonly PastTurn[], { seen }: { seen: boolean }): Promise<PastTurn[]> {
    let room = seen ? IMAGE_BASE64_CHARS : 0;
    const turns: PastTurn[] = [];
    for (const turn of pastTurns.toReversed()) {
      const pictures = new Map<string, ImagePart | undefined>();
      for (const { id, name, result } of turn.tool_calls) {
        const shown = name === "view_image" ? ShownPicture.safeParse(result["picture"]).data : undefined;
        if (!shown) continue;
        const base64 = room > 0 ? await this.#contents(shown) : undefined;
        room -= base64?.length ?? 0;
        const { mime_type: mimeType, detail } = shown;
        pictures.set(
          id,
          base64 !== undefined && room >= 0 ? { type: "image", mimeType, base64, detail } : undefined,
        );
      }
      turns.push(pictures.size > 0 ? { ...turn, pictures } : turn);
    }
    return turns.toReversed();
  }

  async #contents({ path, sha256 }: ShownPicture): Promise<string | undefined> {
    if (!this.#read.has(sha256)) {
      // If the project does not respond, the picture is left out; the task need not fail.
      const bytes = await this.#files.readFile(path).catch(() => undefined);
      const isSame = bytes !== undefined && sha256Bytes(bytes) === sha256;
      this.#read.set(sha256, isSame ? Buffer.from(bytes).toString("base64") : undefined);
    }
    return this.#read.get(sha256);
  }
}

/**
 * Returns whether the model sees pictures. Throws `invalid_request` when the message has pictures and the model does
 * not see them.
 */
export function requireSight(modelName: string, message: UserContent): boolean {
  const sees = supportsVision(modelName);
  const hasPictures = typeof message !== "string" && message.some(({ type }) => type === "image");
  if (hasPictures && !sees) {
    const words = `${modelName} cannot read images: choose another model`;
    throw new ModelError("invalid_request", words, { retryable: false });
  }
  return sees;
}
