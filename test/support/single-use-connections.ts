import http from "node:http";

/**
 * A setup file of the tests in node: each request has a connection of its own. workerd ends a connection on which nothing came
 * for five seconds, and one whose upload it answered before the upload was read; a request that `fetch` sends on it at that
 * moment fails. `pipelining: 0` is undici's word for "no connection is used twice".
 */
const DISPATCHER = Symbol.for("undici.globalDispatcher.1");
const USED_ONCE = Symbol.for("workspace.connectionsUsedOnce");

// Node makes its dispatcher with the first request.
await fetch("data:,");
const dispatcher: object = Reflect.get(globalThis, DISPATCHER);
if (!Reflect.has(dispatcher, USED_ONCE)) {
  const usingOnce: object = Reflect.construct(dispatcher.constructor, [{ pipelining: 0 }]);
  Reflect.set(globalThis, DISPATCHER, Object.assign(usingOnce, { [USED_ONCE]: true }));
}
http.globalAgent = new http.Agent();
