import http from "node:http";

/**
 * A setup file of the tests in node: each long upload by `fetch` has a connection of its own. workerd ends a connection after it
 * has answered an upload that it did not read to its end, unless the upload came with its headers; a request that is sent on it at
 * that moment fails. So does one on a connection on which nothing came for five seconds: connections of other requests are used for
 * one, where `fetch` would use them for four, which is too long on a busy machine. `http.request` would use them for five, and needs
 * them for one request only.
 *
 * A dispatcher that is closed ends its connection after what it was given. The header `connection: close` would not do: where the
 * server then ends a connection whose answer is read slowly, undici 7 fails on an assertion of its own.
 */
interface Dispatcher {
  dispatch: (options: Options, handler: unknown) => boolean;
  close: () => Promise<void>;
}

interface Options {
  path?: string;
  headers?: { "content-length"?: string };
  body?: unknown;
}

const DISPATCHER = Symbol.for("undici.globalDispatcher.1");
const IS_SET_UP = Symbol.for("workspace.singleUseConnections");
const IDLE_MS = 1_000;
/** What workerd has read with the headers. It kept its connections after 9,600 uploads of up to 7,900 bytes that it refused unread. */
const SHORT_BYTES = 4_096;
/** Where the database's driver sends its statements: to a server of Node, which reads all of each. */
const TO_DATABASE = "/sql";

function mayBeLeftUnread({ body, headers, path }: Options): boolean {
  if (body === null || body === undefined || path === TO_DATABASE) return false;
  const { "content-length": length = Infinity } = headers ?? {};
  return Number(length) > SHORT_BYTES;
}

// Node makes its dispatcher with the first request.
await fetch("data:,");
const initial: Dispatcher = Reflect.get(globalThis, DISPATCHER);
if (!Reflect.has(initial, IS_SET_UP)) {
  const newDispatcher = (): Dispatcher =>
    Reflect.construct(initial.constructor, [{ keepAliveTimeout: IDLE_MS }]);
  const shared = newDispatcher();
  const others = shared.dispatch.bind(shared);
  shared.dispatch = (options, handler) => {
    if (!mayBeLeftUnread(options)) return others(options, handler);
    const own = newDispatcher();
    const isFree = own.dispatch(options, handler);
    void own.close();
    return isFree;
  };
  Reflect.set(globalThis, DISPATCHER, Object.assign(shared, { [IS_SET_UP]: true }));
}
http.globalAgent = new http.Agent();
