/** A part of tool names: `mcp__<name>__<tool>`, in which it ends at the first `__`. Without lookahead: not every reader of the API's document has it. */
export const SERVER_NAME = /^[a-z0-9](?:(?:_?[a-z0-9-])*_?[a-z0-9])?$/u;
