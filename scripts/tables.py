"""Writes the tables of names in ``src/otap/values/cldr`` from CLDR, as babel holds it.

    .venv/bin/python scripts/tables.py

Each line of a table is a code and its names in small letters, separated by bars. A name with two
meanings has the meaning of the language that comes first in LANGUAGES, unless that would be a
guess: a name of a unit, a country, a language or a currency then has no meaning.
"""

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path

from babel import Locale
from babel.core import get_global

FOLDER = Path(__file__).parents[1] / "src" / "otap" / "values" / "cldr"
# Languages with much written text, by their number of speakers.
LANGUAGES = (
    "en zh hi es ar fr bn pt ru ur id de ja mr te tr ta vi fil ko fa th it gu pl uk ml kn pa ro "
    "nl ms my am uz az ne si km cs el hu sv be sr bg kk he da fi nb sk hr sw af ca lt sl lv et ka "
    "hy mk sq is gl eu ga cy mn lo ky"
)
Names = Iterator[tuple[str, str]]  # a code, and a name of it


def read_months(locale: Locale) -> Names:
    """Yields the names of the months with their numbers."""
    for context in ("format", "stand-alone"):
        for width in ("wide", "abbreviated"):
            for number, name in locale.months[context][width].items():
                yield str(number), name


def read_weekdays(locale: Locale) -> Names:
    """Yields the names of the days of the week; Monday is 1."""
    for context in ("format", "stand-alone"):
        for width in ("wide", "abbreviated"):
            for number, name in locale.days[context][width].items():
                yield str(number + 1), name


def read_halves(locale: Locale) -> Names:
    """Yields the words for the parts of a day: am, pm or night."""
    for context in ("format", "stand-alone"):
        for width in ("wide", "abbreviated"):
            for period, name in locale.day_periods.get(context, {}).get(width, {}).items():
                part = period.rstrip("0123456789")
                half = {"am": "am", "morning": "am", "pm": "pm", "afternoon": "pm"}.get(part)
                if half or part in ("evening", "night"):
                    yield half or ("night" if part == "night" else "pm"), name


def read_units(locale: Locale) -> Names:
    """Yields the names of the units, with the unit's name in CLDR."""
    for unit, widths in locale._data["unit_patterns"].items():
        for width in ("long", "short"):
            for count, pattern in widths.get(width, {}).items():
                name = unit.partition("-")[2]
                if count != "per" and name in SIZES and "{0}" in pattern:
                    yield name, pattern.replace("{0}", "")


def read_currencies(locale: Locale) -> Names:
    """Yields the names and signs of the currencies in use."""
    plurals = locale._data["currency_names_plural"]
    for code, name in locale.currencies.items():
        if code in CURRENCIES:
            yield code, name
            yield code, locale.currency_symbols.get(code, code)
            yield from ((code, plural) for plural in plurals.get(code, {}).values())


def read_territories(locale: Locale) -> Names:
    """Yields the names of countries and regions with a code of two letters."""
    yield from ((code, name) for code, name in locale.territories.items() if len(code) == 2)


def read_languages(locale: Locale) -> Names:
    """Yields the names of languages, also of those of a country or in a script."""
    for code, name in locale.languages.items():
        if len(code.split("_")[0]) == 2 or code in THREE_LETTERS:
            yield code.lower().replace("_", "-"), name


def read_scripts(locale: Locale) -> Names:
    """Yields the names of the two scripts of Chinese."""
    yield from ((code.lower(), locale.scripts.get(code, code)) for code in ("Hans", "Hant"))


def read_scales(width: str) -> Names:
    """Yields the words that multiply a number: thousand, 万, lakh."""
    for locale in LOCALES:
        for patterns in locale.compact_decimal_formats[width].values():
            for size, pattern in patterns.items():
                text = re.sub("['\u200e\u200f]", "", pattern.pattern.partition(";")[0])
                zeros, word = text.count("0"), text.replace("0", "").strip()
                if zeros and word and not SHORT.fullmatch(tidy(word)) and tidy(word) not in SYMBOLS:
                    yield str(int(size) // 10 ** (zeros - 1)), word


def read_cities(locale: Locale) -> Names:
    """Yields the names of the cities after which CLDR names time zones, by the English name."""
    for zone, names in locale._data["time_zones"].items():
        if "city" in names and not zone.startswith("Etc/"):
            english = ENGLISH._data["time_zones"].get(zone, {}).get("city")
            code = english or zone.rpartition("/")[2].replace("_", " ")
            yield tidy(code), code
            yield tidy(code), names["city"]


def read_more_cities() -> Names:
    """Yields the names of further cities."""
    for line in CITIES.strip().splitlines():
        code, *names = line.split()
        yield from ((code, name) for name in (code, *names))


def read_zones() -> Names:
    """Yields the other names of each time zone, with Windows' names."""
    canonical = get_global("zone_aliases")
    zones = {*get_global("zone_territories"), *canonical, *canonical.values()}
    for zone in sorted(zones):
        yield canonical.get(zone, zone), zone
    for name, zone in sorted(get_global("windows_zone_mapping").items()):
        yield canonical.get(zone, zone), name


def read_aliases(kind: str) -> Names:
    """Yields the codes of three letters for those of two."""
    for alias, code in get_global(kind).items():
        code = code[0] if isinstance(code, list) else code
        if len(alias) == 3 and alias.isalpha() and len(code) == 2:
            yield code, alias


def tidy(name: str) -> str:
    """Returns a name in small letters, with plain blanks and without a last dot."""
    name = re.sub("[\u200b-\u200f\u061c]", "", unicodedata.normalize("NFC", name))
    return " ".join(name.lower().split()).rstrip(".")


def write_table(
    name: str, names: Iterable[tuple[str, str]], *, first_wins: bool, numbered: bool = False
) -> None:
    """Writes a table; a name of two codes is the first one's, or none's.

    Args:
        name: of the table.
        names: a code and a name of it, again and again.
        first_wins: whether a name of two codes is the first one's.
        numbered: whether a name may have digits.
    """
    code_of: dict[str, str] = {}
    others: dict[str, set[str]] = {}
    for code, text in names:
        text = tidy(text)
        is_name = text and "|" not in text and (numbered or not WITH_DIGIT.search(text))
        if is_name and code_of.setdefault(text, code) != code:
            others.setdefault(text, {code_of[text]}).add(code)
    lines: dict[str, list[str]] = {}
    for text, code in code_of.items():
        if first_wins or text not in others:
            lines.setdefault(code, []).append(text)
    rows = ["|".join([code, *sorted(lines[code])]) for code in sorted(lines)]
    (FOLDER / f"{name}.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")


ENGLISH = Locale.parse("en")
SHORT, WITH_DIGIT = re.compile("[A-Za-z]{1,2}"), re.compile(r"\d")
THREE_LETTERS = ("fil", "yue", "haw", "ceb", "ckb", "gsw", "hmn")


def unique(names: Names) -> Names:
    """Yields the names of one code."""
    codes_of: dict[str, set[str]] = {}
    for code, name in names:
        codes_of.setdefault(tidy(name), set()).add(code)
    yield from ((*codes, name) for name, codes in codes_of.items() if len(codes) == 1)


PREFIXES = ("", "nano", "micro", "milli", "centi", "deci", "hecto", "kilo", "mega", "giga", "tera")
HAND = tomllib.loads(FOLDER.with_name("literals.toml").read_text("utf-8"))
SIZES = {
    *(line.split()[0] for line in HAND["others"].strip().splitlines()),
    *(
        prefix + line.split()[2]
        for line in HAND["metric"].strip().splitlines()
        for prefix in PREFIXES
    ),
}
SYMBOLS = {word for line in HAND["others"].splitlines() for word in line.split()[3:]}
LOCALES = [Locale.parse(language) for language in LANGUAGES.split()]
CURRENCIES = {
    code
    for entries in get_global("territory_currencies").values()
    for code, _, end, is_tender in entries
    if end is None and is_tender
}


CITIES = """
munich münchen monachium múnich мюнхен 慕尼黑 ミュンヘン
cologne köln koeln colonia kolonia кёльн 科隆 ケルン
hamburg hamburgo amburgo hambourg гамбург 汉堡
frankfurt francfort francoforte fráncfort франкфурт 法兰克福
beijing peking pékin pekín pechino pequim pekin pekín пекин 北京 베이징 بكين
shanghai shanghái xangai шанхай 上海 상하이 شنغهاي
guangzhou canton гуанчжоу 广州 廣州
shenzhen шэньчжэнь 深圳
osaka осака 大阪 오사카
kyoto kioto киото 京都 교토
busan pusan пусан 부산 釜山
delhi delí nova-delhi дели दिल्ली 德里 デリー
mumbai bombay мумбаи मुंबई मुम्बई 孟买 ムンバイ
bangalore bengaluru बेंगलुरु ಬೆಂಗಳೂರು
florence firenze florencia florença florenz флоренция 佛罗伦萨
venice venezia venecia veneza venedig venise wenecja венеция 威尼斯
milan milano milán milão mailand mediolan милан 米兰 ミラノ
turin torino turín turim turyn турин
naples napoli nápoles neapel neapol неаполь 那不勒斯
genoa genova génova gênes genua
geneva genève geneve ginebra genebra genf ginevra женева 日内瓦
barcelona barcelone barcellona барселона 巴塞罗那
seville sevilla séville siviglia sevilha севилья
antwerp antwerpen anvers amberes anversa
hague haag denhaag
gothenburg göteborg goteborg гётеборг
krakow kraków cracow cracovie cracovia krakau краков
wroclaw wrocław breslau вроцлав
gdansk gdańsk danzig гданьск
thessaloniki θεσσαλονίκη salonica thessalonique салоники
alexandria الإسكندرية alexandrie alejandría александрия
jeddah جدة
mecca مكة
saintpetersburg санкт-петербург sankt-peterburg petersburg sankt-petersburg
odessa odesa одесса одеса
kharkiv kharkov харьков харків
lviv lvov львов львів lwów lemberg
lyon lyons lione
marseille marseilles marsiglia marsella марсель
nice nizza niza
strasbourg straßburg strasburgo estrasburgo страсбург
montreal montréal монреаль 蒙特利尔
quebec québec квебек
seville sevilla
porto oporto
philadelphia filadelfia филадельфия
"""


MORE = {  # what CLDR names otherwise
    "languages": [],
    "territories": [
        *(("GB", name) for name in ("UK", "U.K", "Great Britain", "Großbritannien")),
        *(("US", name) for name in ("U.S", "U.S.A", "United States of America", "EUA", "EE.UU")),
        *(("AE", name) for name in ("UAE", "U.A.E")),
        *(("KR", name) for name in ("South Korea", "Republic of Korea")),
        *(("CZ", name) for name in ("Czech Republic", "Czechia")),
        *(("NL", name) for name in ("Holland", "Holanda", "Hollande", "Olanda", "The Netherlands")),
        *(("TR", name) for name in ("Turkey", "Turkiye")),
        *(("CI", name) for name in ("Ivory Coast",)),
        *(("RU", name) for name in ("Russian Federation",)),
        *(("VN", name) for name in ("Viet Nam",)),
    ],
}


def main() -> None:
    """Writes all tables."""
    for name, read, first_wins in (
        ("months", read_months, True),
        ("weekdays", read_weekdays, True),
        ("halves", read_halves, True),
        ("units", read_units, False),
        ("currencies", read_currencies, False),
        ("scripts", read_scripts, False),
        ("cities", read_cities, False),
    ):
        names = [entry for locale in LOCALES for entry in read(locale)]
        # Of the parts of a day am is the safest reading, then night.
        names = sorted(names) if name == "halves" else names
        names += read_more_cities() if name == "cities" else ()
        write_table(name, names, first_wins=first_wins)
    for name, read, aliases in (
        ("territories", read_territories, "territory_aliases"),
        ("languages", read_languages, "language_aliases"),
    ):
        names = [entry for locale in LOCALES for entry in read(locale)]
        write_table(name, [*names, *read_aliases(aliases), *MORE[name]], first_wins=False)
    # An abbreviation of two numbers, such as bn, has no meaning.
    write_table("scales", [*read_scales("long"), *unique(read_scales("short"))], first_wins=True)
    write_table("zones", read_zones(), first_wins=True, numbered=True)


if __name__ == "__main__":
    main()
