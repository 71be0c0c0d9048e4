// Makes ai_sdk_4.jsonl: one conversation as version 4 of the AI SDK kept it, for models and for pages.
//
//     npm install ai@4.3.19 zod@3 && node make_ai_sdk_4.mjs
//
// The SDK's own loop runs, with real tools; what its model says is a script.

import { appendResponseMessages, generateText, tool } from 'ai';
import { MockLanguageModelV1 } from 'ai/test';
import { writeFileSync } from 'node:fs';
import { z } from 'zod';
const call = (id, name, input) => ({ toolCallType: 'function', toolCallId: id, toolName: name, args: JSON.stringify(input) });
const SCRIPT = [
  { text: 'I look for hotels.', toolCalls: [call('call_hotels', 'searchHotels', { city: 'Rome', maxPrice: 150 }), call('call_weather', 'getWeather', { city: 'Rome' })] },
  { text: 'H9 it is.', toolCalls: [call('call_book', 'bookHotel', { hotel: 'H9' })] },
  { text: 'H9 is yours.' },
];
const tools = {
  searchHotels: tool({ description: 'Finds the hotels of a city.', parameters: z.object({ city: z.string(), maxPrice: z.number() }),
    execute: async ({ city }) => [{ id: 'H7', price: 90, city }, { id: 'H9', price: 120, city }] }),
  getWeather: tool({ description: 'Tells the weather of a city.', parameters: z.object({ city: z.string() }), execute: async ({ city }) => `Sunny in ${city}.` }),
  bookHotel: tool({ description: 'Books a room.', parameters: z.object({ hotel: z.string() }), execute: async ({ hotel }) => ({ booked: hotel }) }),
};
let said = 0;
const model = new MockLanguageModelV1({ doGenerate: async () => ({ rawCall: { rawPrompt: null, rawSettings: {} }, finishReason: SCRIPT[said].toolCalls ? 'tool-calls' : 'stop', usage: { promptTokens: 1, completionTokens: 1 }, ...SCRIPT[said++] }) });
const asked = { role: 'user', content: 'A room in Rome, please.' };
const { response } = await generateText({ model, tools, messages: [asked], maxSteps: 5 });
const core = [asked, ...response.messages].map(({ id, ...m }) => m);
const ui = appendResponseMessages({ messages: [{ id: 'u1', parts: [{ type: 'text', text: asked.content }], ...asked }], responseMessages: response.messages.map((m, i) => ({ ...m, id: `a${i}` })) });
writeFileSync('ai_sdk_4.jsonl', [{ messages: core }, { messages: ui }].map(r => JSON.stringify(r, (k, v) => k === 'createdAt' ? '2026-01-01T00:00:00Z' : v) + '\n').join(''));
