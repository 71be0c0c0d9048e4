"""Contrast of what axe-core leaves to people: signs, single digits, and text of drawings."""

from typing import Any

# A text of WCAG's large size needs 3, any other 4.5. Colours are mixed as they are drawn.
_PALE = """() => {
  const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data];
  };
  const over = (top, below) => [0, 1, 2].map(
    (k) => (top[k] * top[3] + below[k] * (255 - top[3])) / 255).concat(255);
  const ground = (one) => {
    if (!one) return [255, 255, 255, 255];
    const own = rgba(getComputedStyle(one).backgroundColor);
    return own[3] === 255 ? own : over(own, ground(one.parentElement));
  };
  const light = (colour) => {
    const [r, g, b] = colour.map((c) => c / 255).map(
      (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const faded = (one) => one ? getComputedStyle(one).opacity * faded(one.parentElement) : 1;
  const pale = [];
  for (const one of document.querySelectorAll("body *")) {
    const texts = [...one.childNodes].filter((node) => node.nodeType === 3 && node.data.trim());
    const shown = one.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true });
    const unseen = one.closest("option, script, style, title, .hidden-text");
    if (!texts.length || !shown || unseen) continue;
    const style = getComputedStyle(one), size = parseFloat(style.fontSize);
    const below = ground(one);
    const ink = rgba(one instanceof SVGElement ? style.fill : style.color);
    ink[3] *= faded(one);
    const both = [light(over(ink, below)), light(below)].sort((a, b) => b - a);
    const ratio = (both[0] + 0.05) / (both[1] + 0.05);
    const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    if (ratio < (large ? 3 : 4.5)) {
      const text = one.textContent.trim().slice(0, 40);
      pale.push(`${ratio.toFixed(2)} ${one.localName}.${one.getAttribute("class")}: ${text}`);
    }
  }
  return [...new Set(pale)];
}"""


def pale(page: Any) -> list[str]:
    """Returns the texts that are too pale for WCAG AA, each with its ratio."""
    found: list[str] = page.evaluate(_PALE)
    return found
