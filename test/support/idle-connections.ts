import http from "node:http";

/**
 * A setup file of the tests in node. workerd closes a connection on which nothing came for five seconds, and `fetch` would use it
 * for four: on a busy machine a request goes out on one that is just being closed, and fails. So it is used for one second.
 * `http.request` would use it for five, and needs it for one request only.
 */
const DISPATCHER = Symbol.for("undici.globalDispatcher.1");
const SHORT_LIVED = Symbol.for("workspace.shortLivedConnections");
const IDLE_MS = 1_000;

// Node makes its dispatcher with the first request.
await fetch("data:,");
const dispatcher: object = Reflect.get(globalThis, DISPATCHER);
if (!Reflect.has(dispatcher, SHORT_LIVED)) {
  const shortLived: object = Reflect.construct(dispatcher.constructor, [{ keepAliveTimeout: IDLE_MS }]);
  Reflect.set(globalThis, DISPATCHER, Object.assign(shortLived, { [SHORT_LIVED]: true }));
}
http.globalAgent = new http.Agent();
