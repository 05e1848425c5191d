import type { ImagePart, ModelMessage, ModelPart, UserContent } from "#src/models/model.ts";
import { pictureProblem, REQUEST_PICTURE_CHARS, REQUEST_PICTURES } from "#src/models/picture-limits.ts";

/** Whether a request would contain a picture. */
export function hasPictures(messages: readonly ModelMessage[]): boolean {
  return messages.some(
    (message) =>
      (message.role === "tool" && message.image) ||
      (message.role === "user" &&
        typeof message.content !== "string" &&
        message.content.some(({ type }) => type !== "text")),
  );
}

/**
 * Returns the messages with notes in the place of pictures that the model would refuse, and of the oldest ones where a
 * request cannot hold all.
 */
export function withFittingPictures(messages: readonly ModelMessage[], modelName: string): ModelMessage[] {
  if (!hasPictures(messages)) return [...messages];
  const room = new PictureRoom(modelName);
  return messages
    .toReversed()
    .map((message) => fitted(message, room))
    .toReversed();
}

function fitted(message: ModelMessage, room: PictureRoom): ModelMessage {
  if (message.role === "user") return { ...message, content: fittedContent(message.content, room) };
  const note = message.role === "tool" && message.image && room.refuse(message.image);
  if (!note || message.role !== "tool") return message;
  const { image: _, ...result } = message;
  return { ...result, content: `${result.content}\n${note}` };
}

function fittedContent(content: UserContent, room: PictureRoom): UserContent {
  if (typeof content === "string") return content;
  return content
    .toReversed()
    .map((part): ModelPart => {
      const note = part.type === "image" ? room.refuse(part) : undefined;
      return note === undefined ? part : { type: "text", text: note };
    })
    .toReversed();
}

/** What a request can still hold, from the newest picture to the oldest. */
class PictureRoom {
  #pictures = REQUEST_PICTURES;
  #chars = REQUEST_PICTURE_CHARS;
  readonly #modelName: string;

  constructor(modelName: string) {
    this.#modelName = modelName;
  }

  /** Returns the note that stands in the place of a picture; undefined for one that is shown. */
  refuse(image: ImagePart): string | undefined {
    const { name, size, base64 } = image;
    const subject = name === undefined ? "A picture" : `The picture ${name}`;
    const problem = pictureProblem(this.#modelName, { size, base64Chars: base64.length });
    if (problem) return `[${subject} is not shown: it ${problem}. Tell the user, or look at a smaller copy.]`;
    this.#pictures -= 1;
    this.#chars -= base64.length;
    const fits = this.#pictures >= 0 && this.#chars >= 0;
    return fits
      ? undefined
      : `[${subject} is no longer shown: newer ones take the room. Look again if you need it.]`;
  }
}
