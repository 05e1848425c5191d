import type { ImageMimeType } from "./model.ts";

/** A picture that models read, as its own bytes describe it. */
export interface Picture {
  mimeType: ImageMimeType;
  width: number;
  height: number;
}

type Size = Pick<Picture, "width" | "height">;

/** First bytes of the formats that models read, and how each says its size. */
const FORMATS: readonly {
  mimeType: ImageMimeType;
  begins: (head: string) => boolean;
  sizeOf: (bytes: DataView) => Size | undefined;
}[] = [
  // https://www.w3.org/TR/png-3/#5PNG-file-signature
  {
    mimeType: "image/png",
    begins: (head) => head.startsWith("\u{89}PNG\r\n\u{1A}\n"),
    sizeOf: sizeOfPng,
  },
  // https://www.w3.org/Graphics/JPEG/itu-t81.pdf, B.1.1
  { mimeType: "image/jpeg", begins: (head) => head.startsWith("\u{FF}\u{D8}\u{FF}"), sizeOf: sizeOfJpeg },
  // https://www.w3.org/Graphics/GIF/spec-gif89a.txt
  {
    mimeType: "image/gif",
    begins: (head) => /^GIF8[79]a/u.test(head),
    sizeOf: (bytes) => ({ width: bytes.getUint16(6, true), height: bytes.getUint16(8, true) }),
  },
  // https://developers.google.com/speed/webp/docs/riff_container
  { mimeType: "image/webp", begins: (head) => /^RIFF[^]{4}WEBP/u.test(head), sizeOf: sizeOfWebp },
];

/**
 * The type of a picture that models read, by its first bytes: a provider refuses a picture of another type than it was
 * called, and people and platforms call many wrongly. Undefined for all other files.
 */
export function pictureTypeOf(bytes: Uint8Array): ImageMimeType | undefined {
  return formatOf(bytes)?.mimeType;
}

/** Reads the head of a picture. Undefined for other files, and for a picture that is cut off or damaged there. */
export function readPicture(bytes: Uint8Array): Picture | undefined {
  const format = formatOf(bytes);
  try {
    const size = format?.sizeOf(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    return format && size && size.width > 0 && size.height > 0
      ? { mimeType: format.mimeType, ...size }
      : undefined;
  } catch (error) {
    // A field lies behind the end.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function formatOf(bytes: Uint8Array) {
  const head = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  return FORMATS.find(({ begins }) => begins(head));
}

/** The size is in the first chunk; a file that was cut off lacks the last one, `IEND`. */
function sizeOfPng(bytes: DataView): Size | undefined {
  const size = { width: bytes.getUint32(16), height: bytes.getUint32(20) };
  for (let at = 8; ; at += 12 + bytes.getUint32(at)) {
    if (bytes.getUint32(at + 4) === 0x49_45_4e_44) return size;
  }
}

/** The size is in the frame header, behind segments of other data: profiles, a thumbnail. */
function sizeOfJpeg(bytes: DataView): Size | undefined {
  for (let at = 2; bytes.getUint8(at) === 0xff;) {
    const marker = bytes.getUint8(at + 1);
    // C4, C8 and CC are tables among the frame headers.
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: bytes.getUint16(at + 5), width: bytes.getUint16(at + 7) };
    if (marker === 0xda || marker === 0xd9) return undefined;
    // A marker may be filled up with FF before it; 01 and D0 to D8 have no length.
    const isAlone = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
    at += marker === 0xff ? 1 : isAlone ? 2 : 2 + bytes.getUint16(at + 2);
  }
  return undefined;
}

/** Each of the three kinds says its size in its own way. */
function sizeOfWebp(bytes: DataView): Size | undefined {
  if (bytes.getUint32(4, true) + 8 > bytes.byteLength) return undefined;
  const kind = String.fromCodePoint(...[12, 13, 14, 15].map((at) => bytes.getUint8(at)));
  if (kind === "VP8X") return { width: uint24(bytes, 24) + 1, height: uint24(bytes, 27) + 1 };
  if (kind === "VP8 ") {
    return { width: bytes.getUint16(26, true) & 0x3fff, height: bytes.getUint16(28, true) & 0x3fff };
  }
  const packed = kind === "VP8L" ? bytes.getUint32(21, true) : undefined;
  return packed === undefined
    ? undefined
    : { width: (packed & 0x3fff) + 1, height: ((packed >> 14) & 0x3fff) + 1 };
}

function uint24(bytes: DataView, at: number): number {
  return bytes.getUint16(at, true) + bytes.getUint8(at + 2) * 65_536;
}
