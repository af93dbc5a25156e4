"""Chinese words of time, simplified and where they differ traditional."""

from __future__ import annotations

from typing import Final

from mindcache.when.words import Table

__all__ = ["TABLE"]

TABLE: Final = Table(
    days={
        -3: "大前天",
        -2: "前天",
        -1: "昨天|昨日",
        0: "今天|今日",
        1: "明天|明日",
        2: "后天|後天",
    },
    months=(),  # "三月" is a number and a mark
    weekdays=(
        "周一|星期一|礼拜一|週一|禮拜一",
        "周二|星期二|礼拜二|週二|禮拜二",
        "周三|星期三|礼拜三|週三|禮拜三",
        "周四|星期四|礼拜四|週四|禮拜四",
        "周五|星期五|礼拜五|週五|禮拜五",
        "周六|星期六|礼拜六|週六|禮拜六",
        "周日|周天|星期日|星期天|礼拜天|礼拜日|週日|禮拜天",
    ),
    units={
        "minute": "分钟|分鐘",
        "hour": "小时|个小时|小時|個小時",
        "day": "天",
        "week": "周|星期|礼拜|个星期|个礼拜|週|個星期|個禮拜",
        "weekend": "周末|週末",
        "month": "月|个月|個月",
        "quarter": "季度|个季度|個季度",
        "year": "年",
    },
    shifts={
        -1: "上|上个|上一个|上個|过去|过去的|最近|最近的|過去",
        0: "这|这个|本|這|這個",
        1: "下|下个|下一个|下個|未来|未来的|接下来|接下来的|未來",
    },
    numbers={
        1: "一",
        2: "二|两|兩",
        3: "三|几|幾",
        4: "四",
        5: "五",
        6: "六",
        7: "七",
        8: "八",
        9: "九",
        10: "十",
    },
    parts={
        "morning": "早上|上午|早晨|清晨",
        "noon": "中午",
        "afternoon": "下午",
        "evening": "晚上|傍晚",
        "night": "夜里|深夜|半夜",
    },
    day_parts={"evening": "今晚", "morning": "今早"},
    spans={
        "year:-2": "前年",
        "year:-1": "去年",
        "year:0": "今年",
        "year:1": "明年",
        "year:2": "后年|後年",
        "week:-2": "上上周|上上个星期|上上週",
        "week:2": "下下周|下下个星期|下下週",
        "month:-2": "上上个月|上上個月",
        "part:evening:-1": "昨晚",
        "part:evening:1": "明晚",
    },
    seasons={
        "spring": "春天|春季",
        "summer": "夏天|夏季",
        "autumn": "秋天|秋季",
        "winter": "冬天|冬季",
    },
    holidays={
        "new_year": "元旦",
        "may_day": "劳动节|勞動節",
        "halloween": "万圣节|萬聖節",
        "christmas_eve": "平安夜",
        "christmas": "圣诞节|圣诞|聖誕節",
    },
    roles={
        "of": "的",
        "in": "在|于",
        "ago": "前|以前|之前",
        "hence": "后|以后|之后|後|以後|之後",
        "year_mark": "年",
        "month_mark": "月|月份",
        "day_mark": "日|号|號",
        "and": "和|与|到|至",
        "to": "到|至",
        "from": "从|由|從",
        "since": "自|自从|从|自從",
        "until": "截至|直到|到",
        "since_post": "以来|起|开始|至今|以來|開始",
        "after_post": "以后|之后|后|以後|之後|後",
        "before_post": "以前|之前|前",
        "until_post": "为止|為止",
        "every": "每|每个|每個",
        "near": "过去|过去的|最近|最近的",
        "oclock": "点|点钟|點|點鐘",
        "minute_mark": "分",
    },
    weak="春天|春季|夏天|夏季|秋天|秋季|冬天|冬季",
    day_first=False,
    spaced=False,
    week_of_shift=True,
)
