import { crc32, deflateSync } from "node:zlib";

/** A PNG of one colour, with as many bytes of a comment in it. */
export function png(width: number, height: number, { comment = 0 } = {}): Buffer<ArrayBuffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // One bit per pixel, grey.
  header.writeUInt8(1, 8);
  const pixels = deflateSync(Buffer.alloc(height * (1 + Math.ceil(width / 8))));
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1A\n", "latin1"),
    chunk("IHDR", header),
    ...(comment > 0 ? [chunk("tEXt", Buffer.alloc(comment, "c\0"))] : []),
    chunk("IDAT", pixels),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** The head of a JPEG, as cameras write it: with a thumbnail before the size. */
export function jpegHead(width: number, height: number): Buffer<ArrayBuffer> {
  const thumbnail = Buffer.alloc(5_000);
  // A frame header inside the thumbnail says another size.
  thumbnail.write("FFC0001108007800A0", 100, "hex");
  const size = Buffer.alloc(4);
  size.writeUInt16BE(height, 0);
  size.writeUInt16BE(width, 2);
  return Buffer.concat([
    Buffer.from("FFD8FFE1138A", "hex"),
    thumbnail,
    Buffer.from("FFFFDB0004AAAAFFC2001108", "hex"),
    size,
    Buffer.from("03012200021101031101FFDA", "hex"),
  ]);
}

/** The head of a GIF. */
export function gifHead(width: number, height: number): Buffer<ArrayBuffer> {
  const size = Buffer.alloc(4);
  size.writeUInt16LE(width, 0);
  size.writeUInt16LE(height, 2);
  return Buffer.concat([Buffer.from("GIF89a"), size, Buffer.from("000000", "hex")]);
}

/** The head of a WebP of each of its three kinds: lossy, lossless and extended. */
export function webpHead(kind: "VP8 " | "VP8L" | "VP8X", width: number, height: number): Buffer<ArrayBuffer> {
  const data = Buffer.alloc(10);
  if (kind === "VP8 ") {
    data.write("9D012A", 3, "hex");
    data.writeUInt16LE(width, 6);
    data.writeUInt16LE(height, 8);
  } else if (kind === "VP8L") {
    data.writeUInt8(0x2f, 0);
    data.writeUInt32LE((width - 1) | ((height - 1) << 14), 1);
  } else {
    data.writeUIntLE(width - 1, 4, 3);
    data.writeUIntLE(height - 1, 7, 3);
  }
  const [riff, length] = [Buffer.alloc(4), Buffer.alloc(4)];
  riff.writeUInt32LE(12 + data.length);
  length.writeUInt32LE(data.length);
  return Buffer.concat([Buffer.from("RIFF"), riff, Buffer.from(`WEBP${kind}`), length, data]);
}
