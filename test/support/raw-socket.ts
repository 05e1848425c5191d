import { once } from "node:events";
import http from "node:http";
import { randomBytes } from "node:crypto";
import type { Duplex } from "node:stream";

const CLOSE = 8;

export interface RawSocket {
  /** The texts that came so far. */
  texts: readonly string[];
  /** The code of the service's close frame, which is answered with the same. */
  closed: Promise<number>;
  /** The service has ended the connection. */
  ended: Promise<unknown>;
}

/**
 * A WebSocket that never sends a message, and shows what the standard client hides: when the service closes the socket, and
 * when the connection ends. It leaves the connection to the service, and takes frames of less than 64 KiB. Source: RFC 6455,
 * sections 4, 5 and 7.1.1.
 */
export async function openRawSocket(url: string, path: string): Promise<RawSocket> {
  const headers = {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": randomBytes(16).toString("base64"),
  };
  const request = http.get(new URL(path, url).href, { headers });
  const { connection, head } = await new Promise<{ connection: Duplex; head: Buffer }>((resolve, reject) => {
    request.once("upgrade", (_, ...[socket, first]) => resolve({ connection: socket, head: first }));
    request.once("error", reject);
  });
  const texts: string[] = [];
  const closed = new Promise<number>((resolve) => {
    let rest: Buffer = head;
    const read = () => {
      for (let frame = firstFrame(rest); frame; frame = firstFrame(rest)) {
        rest = frame.rest;
        if (frame.opcode !== CLOSE) texts.push(frame.payload.toString());
        else {
          connection.write(closeFrame(frame.payload.subarray(0, 2)));
          resolve(frame.payload.readUInt16BE(0));
        }
      }
    };
    connection.on("data", (data: Buffer) => {
      rest = Buffer.concat([rest, data]);
      read();
    });
    read();
  });
  return { texts, closed, ended: once(connection, "end") };
}

function firstFrame(bytes: Buffer): { opcode: number; payload: Buffer; rest: Buffer } | undefined {
  const [first, second] = bytes;
  if (first === undefined || second === undefined) return undefined;
  const isLong = second === 126;
  if (isLong && bytes.length < 4) return undefined;
  const start = isLong ? 4 : 2;
  const end = start + (isLong ? bytes.readUInt16BE(2) : second);
  if (bytes.length < end) return undefined;
  return { opcode: first & 0x0f, payload: bytes.subarray(start, end), rest: bytes.subarray(end) };
}

/** Masked with zeros, which leave it as it is. */
function closeFrame(code: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x80 | CLOSE, 0x80 | code.length]), Buffer.alloc(4), code]);
}
