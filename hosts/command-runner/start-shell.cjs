/**
 * Starts the program of a shell process from a packed file (`buildShellProcess`), whose code V8 need not compile again: that is
 * half of the time a start takes. A cache of another version of V8 is ignored. `node start-shell.cjs FILE`.
 */
const { readFileSync } = require("node:fs");
const { Script } = require("node:vm");

const [, , file = ""] = process.argv;
const packed = readFileSync(file);
const sourceEnd = 4 + packed.readUInt32LE(0);
const script = new Script(packed.latin1Slice(4, sourceEnd), {
  filename: file,
  cachedData: packed.subarray(sourceEnd),
});
if (script.cachedDataRejected) process.emitWarning("The program is compiled anew");
script.runInThisContext()(require);
