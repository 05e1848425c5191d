import { AppError } from "#src/lib/errors.ts";
import { toStream } from "#src/lib/to-stream.ts";
import type { EntryWithContent, StoredEntry } from "#src/platform/runtime/project-storage.ts";

/** Limits of the plain format; Zip64 is not written. Source of the format: PKWARE's APPNOTE.TXT 6.3.10. */
const MAX_ENTRIES = 0xffff;
const MAX_BYTES = 0xffffffff;

/** Bytes of both headers and the data descriptor of an entry, without its name (written twice). */
const ENTRY_BYTES = 30 + 46 + 16;

/** Throws `too_large` for entries that would not fit a zip archive if nothing in them were compressible. */
export function requireZippable(entries: readonly StoredEntry[]): void {
  // Deflate adds five bytes to each block, and a block has at least a few KiB.
  const most = entries.reduce(
    (sum, { path, size }) => sum + size * 1.01 + 64 + ENTRY_BYTES + 2 * encode(path).byteLength,
    0,
  );
  if (entries.length > MAX_ENTRIES || most > MAX_BYTES) {
    throw new AppError("too_large", "The project is too large for a zip archive; use format=tar.gz");
  }
}

/**
 * Packs entries as a zip archive with modes and links, as Unix tools write it. The stream fails when the entries fail.
 */
export function zipEntries(entries: AsyncIterable<EntryWithContent>): ReadableStream<Uint8Array> {
  return toStream(bytesOf(entries));
}

interface Written {
  name: Uint8Array;
  attributes: number;
  time: number;
  offset: number;
  crc: number;
  compressed: number;
  size: number;
}

async function* bytesOf(entries: AsyncIterable<EntryWithContent>): AsyncGenerator<Uint8Array> {
  const directory: Written[] = [];
  let offset = 0;
  for await (const { entry, content } of entries) {
    const written: Written = {
      name: encode(entry.kind === "directory" ? `${entry.path}/` : entry.path),
      attributes: attributesOf(entry),
      time: dosTime(entry.modifiedAt),
      offset,
      crc: 0,
      compressed: 0,
      size: 0,
    };
    const counted = counting(entry.kind === "symlink" ? [encode(entry.target)] : content, written);
    yield localHeader(written);
    for await (const chunk of toStream(counted).pipeThrough(new CompressionStream("deflate-raw"))) {
      written.compressed += chunk.byteLength;
      yield chunk;
    }
    yield descriptor(written);
    offset += 30 + written.name.byteLength + written.compressed + 16;
    directory.push(written);
  }
  let length = 0;
  for (const written of directory) {
    const header = centralHeader(written);
    length += header.byteLength;
    yield header;
  }
  yield fields(
    [4, 0x06054b50],
    [2, 0],
    [2, 0],
    [2, directory.length],
    [2, directory.length],
    [4, length],
    [4, offset],
    [2, 0],
  );
}

async function* counting(
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  written: Written,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for await (const chunk of content) {
    written.crc = crc32(chunk, written.crc);
    written.size += chunk.byteLength;
    yield new Uint8Array(chunk);
  }
}

/** Needs version 2.0; bit 3: sizes follow the content; bit 11: names are UTF-8; method 8: deflate. */
const common = ({ time }: Written) =>
  [
    [2, 20],
    [2, 0x0808],
    [2, 8],
    [4, time],
  ] as const;

function localHeader(written: Written): Uint8Array {
  const { name } = written;
  return join(
    fields([4, 0x04034b50], ...common(written), [4, 0], [4, 0], [4, 0], [2, name.byteLength], [2, 0]),
    name,
  );
}

const descriptor = ({ crc, compressed, size }: Written) =>
  fields([4, 0x08074b50], [4, crc], [4, compressed], [4, size]);

function centralHeader(written: Written): Uint8Array {
  const { name, attributes, offset, crc, compressed, size } = written;
  const made = fields([4, 0x02014b50], [2, (3 << 8) | 20], ...common(written));
  const sizes = fields([4, crc], [4, compressed], [4, size], [2, name.byteLength]);
  return join(made, sizes, fields([2, 0], [2, 0], [2, 0], [2, 0], [4, attributes], [4, offset]), name);
}

const UNIX_TYPES = { file: 0o100000, directory: 0o040000, symlink: 0o120000 } as const;

/** The Unix mode in the upper half; the lower half marks a directory for systems without modes. */
function attributesOf({ kind, mode }: StoredEntry): number {
  const permissions = kind === "symlink" ? 0o777 : mode & 0o777;
  return (((UNIX_TYPES[kind] | permissions) << 16) | (kind === "directory" ? 0x10 : 0)) >>> 0;
}

/** MS-DOS date and time, UTC, in steps of two seconds from 1980 on. */
function dosTime(milliseconds: number): number {
  const date = new Date(Math.min(Math.max(milliseconds, Date.UTC(1980)), Date.UTC(2107)));
  const day = ((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate();
  const time = (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1);
  return ((day << 16) | time) >>> 0;
}

/** Little-endian numbers of two or four bytes. */
function fields(...values: readonly (readonly [width: 2 | 4, value: number])[]): Uint8Array {
  const bytes = new Uint8Array(values.reduce((sum, [width]) => sum + width, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [width, value] of values) {
    if (width === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += width;
  }
  return bytes;
}

function join(...pieces: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.byteLength, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.byteLength;
  }
  return bytes;
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** CRC-32 continued from the CRC of the preceding bytes. */
function crc32(bytes: Uint8Array, before: number): number {
  let crc = ~before;
  for (const byte of bytes) crc = (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return ~crc >>> 0;
}
